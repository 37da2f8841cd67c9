// What a figure depends on besides the code: the processor, Node and V8. Never the machine's name.
import { cpus, totalmem } from 'node:os';

/** The machine a benchmark ran on, as far as figures depend on it. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly platform: string;
  readonly node: string;
  readonly v8: string;
  readonly zlib: string;
}

/** This machine. */
export function thisMachine(): Machine {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    v8: process.versions.v8,
    zlib: process.versions.zlib,
  };
}

/** The machine in one line, for the foot of a table. */
export function describeMachine({ cpu, cores, memoryGiB, platform, node, zlib }: Machine): string {
  return `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${platform}, Node ${node}, zlib ${zlib}`;
}
