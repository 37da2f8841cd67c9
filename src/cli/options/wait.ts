// `--wait`: for commands that change a register while no other process does.
import type { WaitOptions } from '../../stores/lease/hold-register.ts';
import { flag, type Option } from '../command.ts';
import { say } from '../io/say.ts';
import type { Io } from '../io/io.ts';

/** `--wait`. */
export const WAIT: Option<true | undefined> = flag(
  'wait while another process works on the register (default: refuse)',
);

/** What a command does while another process works on the register. @param signal ends the wait */
export function waitOptions({ wait }: { readonly wait?: true }, io: Io, signal: AbortSignal): WaitOptions {
  return {
    wait: wait === true,
    onWait: ({ what, host, pid, since }) => {
      say(io, `waiting for ${what} (process ${pid} on ${host}, since ${since})`);
    },
    signal,
  };
}
