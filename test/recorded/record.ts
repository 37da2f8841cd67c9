// `npm run recorded`: asks the service and the command line everything that requests.ts, commands.ts and vectors.ts list,
// and compares the answers with the recording in answers/. `-- --write` records them again; `-- --full FOLDER` writes them
// there whole, so that what two commits answer can be compared with `diff -r`. `requests`, `commands` or `vectors` restricts it to that part.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Area } from './area.ts';
import { recordCommands } from './commands.ts';
import { recordRequests } from './requests.ts';
import { recordVectors } from './vectors.ts';

const ANSWERS = join(import.meta.dirname, 'answers');

/** How many differences of an area are told. */
const MOST_TOLD = 20;

const REPOSITORY = resolve(import.meta.dirname, '../..');
const USER = userInfo().username;

/** Begins a file of answers. `known` are texts that differ from run to run, and what stands for them. */
export type Begin = (name: string, known?: readonly (readonly [text: string, name: string])[]) => Area;

const PARTS = { requests: recordRequests, commands: recordCommands, vectors: recordVectors };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean' }, full: { type: 'string' } },
});
const full = values.full === undefined ? undefined : resolve(values.full);
const areas: Area[] = [];

// What the doctor says of files depends on it.
process.umask(0o022);
for (const [part, record] of Object.entries(PARTS)) {
  if (positionals.length > 0 && !positionals.includes(part)) continue;
  const folder = mkdtempSync(join(tmpdir(), 'gazette-recorded-'));
  const general: readonly (readonly [string, string])[] = [
    [folder, '<folder>'],
    [REPOSITORY, '<repository>'],
    [`"who":"${USER}"`, '"who":"<user>"'],
    [`    ${USER}  `, '    <user>  '],
  ];
  process.chdir(folder);
  try {
    await record((name, known = []) => {
      const area = new Area(name, [...general, ...known], full !== undefined);
      areas.push(area);
      return area;
    });
  } finally {
    process.chdir(REPOSITORY);
    rmSync(folder, { recursive: true });
  }
}
let differing = 0;
for (const area of areas) {
  const path = join(full ?? ANSWERS, `${area.name}.txt`);
  if (values.write === true || full !== undefined) {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, area.text);
  } else {
    differing += compare(area, readFileSync(path, 'utf8'));
  }
  console.log(`${area.name}: ${area.count} answers`);
}
console.log(`${areas.reduce((sum, { count }) => sum + count, 0)} answers, ${differing} differ`);
process.exitCode = differing === 0 ? 0 : 1;

/** Tells what differs from the recording: which answer, and in which line first. */
function compare(area: Area, recorded: string): number {
  const [before, now] = [answersIn(recorded), answersIn(area.text)];
  const titles = [...new Set([...before.keys(), ...now.keys()])];
  const different = titles.filter((title) => before.get(title) !== now.get(title));
  for (const title of different.slice(0, MOST_TOLD)) {
    const [one, other] = [before, now].map((answers) => answers.get(title)?.split('\n'));
    console.log(`${area.name}: ${title}`);
    if (one === undefined || other === undefined) {
      console.log(one === undefined ? '  is not recorded' : '  is not asked any more');
      continue;
    }
    const at = one.findIndex((line, index) => line !== other[index]);
    const line = at < 0 ? one.length : at;
    console.log(`  recorded: ${one[line] ?? 'nothing'}\n  now:      ${other[line] ?? 'nothing'}`);
  }
  if (different.length > MOST_TOLD) console.log(`${area.name}: and ${different.length - MOST_TOLD} more`);
  // The same answers in another order are another recording too.
  return different.length > 0 ? different.length : Number(recorded !== area.text);
}

function answersIn(text: string): ReadonlyMap<string, string> {
  const blocks = text.split(/^## /m).slice(1);
  return new Map(
    blocks.map((block) => {
      const end = block.indexOf('\n');
      return [block.slice(0, end), block.slice(end + 1)];
    }),
  );
}
