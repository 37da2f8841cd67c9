// Policies of witnesses (C2SP tlog-policy).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../../../../src/wings/proofs/tlog/index.ts';
import { formatVerifierKey, type SignerKey, signerOf } from '../../../../src/wings/proofs/tlog/keys.ts';
import { tries } from '../../../effort.ts';

const key = (number: number, role: 'log' | 'witness' = 'witness'): SignerKey =>
  signerOf(`example.org/${role}-${number}`, role, Buffer.alloc(32, number + 1));
const vkey = (number: number, role?: 'log' | 'witness'): string => formatVerifierKey(key(number, role));

/** The names of those who signed, of witnesses W0, W1 and so on. */
function isMet(text: string, ...signed: readonly number[]): boolean {
  const policy = parsePolicy(text);
  const names = new Set(signed.map((number) => key(number).name));
  return policy.isMet(new Set(policy.witnesses.filter(({ name }) => names.has(name))));
}

const WITNESSES = [0, 1, 2, 3, 4, 5].map((number) => `witness W${number} ${vkey(number)}\n`).join('');

describe('parsePolicy', () => {
  it('reads the example of the specification', () => {
    const text = `# Two organizations\n\nlog ${vkey(9, 'log')} https://log.example.org/\n${WITNESSES}
\t group  X\t2 W0 W1 W2
group Y any W3 W4 W5
group both all X Y
quorum both`;
    const { logs, witnesses, quorum } = parsePolicy(text);
    expect(logs.map(({ name }) => name)).toEqual(['example.org/log-9']);
    expect(witnesses).toHaveLength(6);
    expect(quorum).toBe('both');
    const sets = [[], [0, 1], [0, 1, 4], [0, 4, 5], [1, 2, 3], [0, 1, 2, 3, 4, 5]];
    expect(sets.map((signed) => isMet(text, ...signed))).toEqual([false, false, true, false, true, true]);
  });

  it('takes one witness, or nobody, as quorum', () => {
    expect([isMet(`${WITNESSES}quorum W3\n`), isMet(`${WITNESSES}quorum W3\n`, 3)]).toEqual([false, true]);
    expect([isMet('quorum none\n'), isMet(`${WITNESSES}quorum none\n`, 1)]).toEqual([true, true]);
  });

  it('compares names by their bytes', () => {
    const text = `witness K ${vkey(0)}\nwitness \u212a ${vkey(1)}\nquorum \u212a\n`;
    expect([isMet(text, 0), isMet(text, 1), parsePolicy(text).quorum]).toEqual([false, true, '\u212a']);
    const bytes = (last: number): Buffer =>
      Buffer.concat([Buffer.from('witness '), Buffer.of(0xff), Buffer.from(` ${vkey(0)}\nquorum `), Buffer.of(last)]);
    expect(parsePolicy(bytes(0xff)).isMet(new Set())).toBe(false);
    expect(() => parsePolicy(bytes(0xfe))).toThrow('line 2 of the policy must name');
  });

  it.each<[string, string]>([
    ['', 'a policy must have a line with its quorum'],
    [WITNESSES, 'a policy must have a line with its quorum'],
    ['quorum none\nquorum none\n', 'line 2 of the policy is a second quorum'],
    [`quorum W0\nwitness W0 ${vkey(0)}\n`, 'line 1 of the policy must name a witness or a group of a line before it'],
    [`witness none ${vkey(0)}\n`, 'line 1 of the policy must have a name of its own, got "none"'],
    [`${WITNESSES}group W0 any W1\n`, 'line 7 of the policy must have a name of its own, got "W0"'],
    [
      `${WITNESSES}group G any none\n`,
      'line 7 of the policy must have members that lines before it define, got "none"',
    ],
    [`${WITNESSES}group G any G\n`, 'line 7 of the policy must have members that lines before it define, got "G"'],
    [`${WITNESSES}group G any W0 W0\n`, 'line 7 of the policy must have members that are in no group yet, got "W0"'],
    [`${WITNESSES}group G any W0\ngroup H any W0\n`, 'line 8 of the policy must have members that are in no group yet'],
    [`${WITNESSES}group G 0 W0\n`, 'line 7 of the policy must ask for all, any, or 1 to 1 of its members, got "0"'],
    [`${WITNESSES}group G 3 W0 W1\n`, 'line 7 of the policy must ask for all, any, or 1 to 2 of its members, got "3"'],
    [`${WITNESSES}group G 01 W0\n`, 'line 7 of the policy must ask for all, any'],
    [`${WITNESSES}group G any\n`, 'line 7 of the policy must be "log VKEY [URL]"'],
    [`witness W0 ${vkey(0)}\nwitness W1 ${vkey(0)}\n`, 'line 2 of the policy has the key of another witness'],
    [`log ${vkey(0, 'log')}\nlog ${vkey(0, 'log')}\n`, 'line 2 of the policy has the key of another log'],
    [`witness W0 ${vkey(0, 'log')}\n`, 'line 1 of the policy must have the key of a witness'],
    [`log ${vkey(0)}\n`, 'line 1 of the policy must have the key of a log'],
    ['log not-a-key\n', 'a verifier key'],
    ['quorum none\r\n', 'line 1 of the policy must have no control characters but tabs'],
    ['trust everybody\n', 'line 1 of the policy must be "log VKEY [URL]"'],
  ])('refuses %j', (text, message) => {
    expect(() => parsePolicy(text)).toThrow(message);
  });

  it('is met as its groups say, whatever they are', () => {
    const groups = fc.array(fc.tuple(fc.constantFrom('all', 'any', '1', '2', '3'), fc.integer({ min: 1, max: 4 })), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(groups, fc.subarray([0, 1, 2, 3, 4, 5]), (drawn, signed) => {
        // Each group takes the next names that are in none; what is left over at the end is the last group's.
        const free = ['W0', 'W1', 'W2', 'W3', 'W4', 'W5'];
        const met = new Map(free.map((name, number) => [name, signed.includes(number)]));
        let text = WITNESSES;
        const add = (name: string, size: string, count: number): void => {
          const members = free.splice(0, count);
          const least = size === 'all' ? members.length : size === 'any' ? 1 : Math.min(Number(size), members.length);
          text += `group ${name} ${/\d/.test(size) ? least : size} ${members.join(' ')}\n`;
          met.set(name, members.filter((member) => met.get(member)).length >= least);
          free.push(name);
        };
        for (const [number, [size, count]] of drawn.entries()) add(`G${number}`, size, count);
        add('last', drawn[0]?.[0] ?? 'all', free.length);
        expect(isMet(`${text}quorum last\n`, ...signed)).toBe(met.get('last'));
      }),
      { numRuns: tries(50) },
    );
  });
});
