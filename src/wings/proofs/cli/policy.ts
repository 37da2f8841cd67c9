// `--policy` and `--witness`: which witnesses must have signed the log of logs.
import { readFileSync } from 'node:fs';
import { GazetteError } from '../../../errors.ts';
import { systemReason } from '../../../files/output-failed.ts';
import { type Options, text } from '../../../cli/command.ts';

/** Which witnesses must have signed. */
export interface PolicyOptions {
  readonly policy?: string;
  readonly witness?: string;
}

/** The options. @param needs the option that they need, as their help says it */
export function policyOptions(needs: string): Options<PolicyOptions> {
  return {
    policy: text(
      '<file>',
      `${needs}: a policy of logs and witnesses (C2SP tlog-policy), whose quorum must have signed the log of logs`,
    ),
    witness: {
      ...text('<key>', `${needs}: the key of a witness that must have signed it, as a policy of one`),
      conflicts: 'policy',
    },
  };
}

/** The policy; undefined: nobody need have signed. @throws GazetteError `invalid_option` for a file that cannot be read */
export function readPolicy({ policy, witness }: PolicyOptions): Uint8Array | string | undefined {
  if (witness !== undefined) return `witness one ${witness}\nquorum one\n`;
  if (policy === undefined) return undefined;
  try {
    return readFileSync(policy);
  } catch (cause) {
    throw new GazetteError('invalid_option', `--policy cannot be read: ${systemReason(cause)}`, { cause });
  }
}
