// A register as commands print it with `--json`.
import type { RegisterDefinition } from '../../../register/record.ts';
import type { RegisterEntry } from '../../../stores/contract/registers.ts';

/** A register as `--json` prints it: schemas/register.schema.json. */
interface RegisterAnswer {
  readonly definition: RegisterDefinition;
  readonly definition_version: number;
  readonly records: number;
  readonly positions: number;
  readonly change: number;
  readonly order: string | null;
  readonly last_change: string | null;
}

/** The answer for a register. */
export function toRegisterAnswer(entry: RegisterEntry): RegisterAnswer {
  return {
    definition: entry.definition,
    definition_version: entry.definitionVersion,
    records: entry.total,
    positions: entry.top,
    change: entry.change,
    order: entry.order,
    last_change: entry.lastChange,
  };
}
