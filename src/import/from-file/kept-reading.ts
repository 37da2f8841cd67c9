// How the files of a register are read, as it keeps it: which columns are what, and what editors chose. The desk writes it, and reads
// the next file so; so does the command line, where neither its options nor gazette.json say anything else.
import { type FileOptions, omit } from './file-options.ts';
import type { SaidOptions } from './guess-file.ts';
import type { RegisterOptions } from './register-plan.ts';

/** What a register keeps. @param reading as the store has it: a JSON text, or null */
export function keptReading(reading: string | null): SaidOptions {
  return { map: [], type: [], ...(JSON.parse(reading ?? '{}') as Partial<SaidOptions>) };
}

/** What is kept for the next file; what else there is of a file is found in each. @param said what was chosen, for this file or before */
export function keptOf(
  { map, key, dateFormat, decimalComma, withdrawMissing }: FileOptions,
  said: Partial<RegisterOptions>,
): Partial<SaidOptions> {
  const chosen = omit(said, ['title', 'feedId', 'language', 'access', 'leftOut']);
  const isKept = (rule: string): boolean => !rule.startsWith('data.') || chosen.map?.includes(rule) === true;
  return {
    ...chosen,
    map: map.filter(isKept),
    ...(key !== undefined && { key }),
    ...(dateFormat !== undefined && { dateFormat }),
    ...(decimalComma !== undefined && { decimalComma }),
    ...(withdrawMissing !== undefined && { withdrawMissing }),
  };
}

/** How a file is read otherwise than is usual. */
export function otherwise(
  usual: SaidOptions,
  { map = [], without = [], ...others }: Partial<SaidOptions>,
): SaidOptions {
  const targets = new Set([...without, ...map.map(targetOf)]);
  const kept = usual.map.filter(
    (rule) => !targets.has(targetOf(rule)) && !(others.key === 'row' && rule.startsWith('id=')),
  );
  const { key, withdrawMissing, ...rest } = usual;
  // With other keys, a file need not hold all records.
  const isRekeyed = key === 'row' && map.some((rule) => rule.startsWith('id='));
  const whole = withdrawMissing === undefined ? {} : { withdrawMissing };
  const known = isRekeyed ? rest : { ...rest, ...(key === undefined ? {} : { key }), ...whole };
  const left = (usual.without ?? []).filter((name) => !targets.has(name));
  return { ...known, ...others, map: [...kept, ...map], without: [...left, ...without] };
}

/** The field that a rule fills. */
export function targetOf(rule: string): string {
  return rule.slice(0, rule.indexOf('='));
}
