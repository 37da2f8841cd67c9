// The commands of the recording: the help of each, and the scenes of command-lines.ts.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Area } from './area.ts';
import { workbookText } from './ask.ts';
import { type Scene, SCENES } from './command-lines.ts';
import { command, must, serve } from './processes.ts';
import type { Begin } from './record.ts';
import { setClock } from './still.ts';
import { NOW, SECRETS } from './world.ts';

/** What an agent says to `gazette mcp`. */
const MESSAGES =
  '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n{"jsonrpc":"2.0","id":2,"method":"none"}\n{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_registers","arguments":{}}}\n';

/** Runs all of them. */
export async function recordCommands(begin: Begin): Promise<void> {
  await recordHelp(begin('cli/help'), []);
  const root = process.cwd();
  for (const scene of SCENES) {
    mkdirSync(`${root}/${scene.name}`);
    process.chdir(`${root}/${scene.name}`);
    for (const [path, text] of Object.entries(scene.files ?? {})) writeFileSync(path, text);
    writeFileSync('messages.txt', MESSAGES);
    if (scene.served === undefined) await recordLines(begin(`cli/${scene.name}`), scene.lines, new Map());
    else await recordServed(begin, scene, scene.served);
  }
  process.chdir(root);
}

async function recordLines(area: Area, lines: readonly string[], ids: Map<string, string>): Promise<void> {
  for (const [index, line] of lines.entries()) {
    // One second after the other: what was made first is the older one.
    setClock(new Date(Date.parse(NOW) + index * 1000).toISOString());
    await recordLine(area, line, `${index + 1}`, ids);
  }
}

/** Lines about a service over the store that the first ones make. */
async function recordServed(begin: Begin, { name, lines }: Scene, before: readonly string[]): Promise<void> {
  setClock(NOW);
  for (const line of before) await must(...line.split(' '));
  const service = await serve(NOW, ['--log-state', 'log.json', '--origin', 'log.example'], SECRETS);
  const url = `http://127.0.0.1:${service.port}/api/v1`;
  try {
    let log = '';
    while (!log.includes('"vkeys"')) log = await (await fetch(`${url}/feeds/permits`)).text();
    while (!(await (await fetch(`${url}/log`)).text()).includes('"size":1')) await nextTurn();
    const [, vkey = ''] = /"vkeys":\["([^"]+)"/.exec(log)!;
    const area = begin(`cli/${name}`, [[`127.0.0.1:${service.port}`, '127.0.0.1:<port>']]);
    await recordLines(
      area,
      lines,
      new Map([
        ['URL', url],
        ['VKEY', vkey],
      ]),
    );
  } finally {
    await service.stop();
  }
}

/** The help of a command and of those below it. */
async function recordHelp(area: Area, path: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await command([...path, '--help']);
  area.add(['gazette', ...path, '--help'].join(' '), [`ends with ${code}`], [stderr, stdout.toString()]);
  const listed = /^Commands:\n([^]*)/m.exec(stdout.toString())?.[1] ?? '';
  for (const [, name] of listed.matchAll(/^ {2}([a-z][\w-]*)/gm)) {
    if (name !== 'help') await recordHelp(area, [...path, name!]);
  }
}

async function recordLine(area: Area, line: string, number: string, ids: Map<string, string>): Promise<void> {
  const title = `${number}: gazette ${line}`;
  const filled = line.replace(/\$(\w+)/g, (_, name: string) => ids.get(name) ?? `no-${name}`);
  if (filled.startsWith('cat ')) {
    area.add(title, [], [textAt(filled.slice('cat '.length))]);
    return;
  }
  const [asked = '', input] = filled.split(' < ');
  const words = Array.from(asked.matchAll(/"([^"]*)"|\S+/g), ([word, quoted]) => quoted ?? word);
  const isVariable = (word: string): boolean => /^GAZETTE_\w+=/.test(word);
  const env = Object.fromEntries(words.filter(isVariable).map((word) => word.split('=', 2) as [string, string]));
  const args = words.filter((word) => !isVariable(word));
  const { code, stdout, stderr } = await command(args, input === undefined ? '' : readFileSync(input), env);
  const isWorkbook = stdout.subarray(0, 2).toString() === 'PK';
  const said = isWorkbook ? workbookText(stdout) : stdout.toString();
  area.add(title, [`ends with ${code}`], [stderr, said]);
  const kinds = { EP: /\bep_\w+/g, KEYID: /\bkey_\w+/g, DLV: /\bdlv_\w+/g };
  for (const [kind, pattern] of Object.entries(kinds)) {
    const last = code === 0 ? `${stderr}\n${said}`.match(pattern)?.at(-1) : undefined;
    if (last !== undefined) ids.set(kind, last);
  }
}

function textAt(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return 'there is none';
  }
}
