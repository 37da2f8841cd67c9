// What `gazette doctor --json` prints.
import { z } from 'zod';
import { countSchema } from '../../register/schemas/records.ts';

const finding = z.object({
  table: z.string().nullable().meta({ description: 'The table of the row; null when it concerns the whole store.' }),
  row: z.string().nullable().meta({ description: 'The key of the row, such as entry 4294967297; null: not one row.' }),
  feed_id: z.string().nullable().meta({ description: 'The register, where one is concerned.' }),
  record_id: z.string().nullable().meta({ description: 'The record, where one is concerned.' }),
  version: z.number().nullable().meta({ description: 'The version of the record, where one is concerned.' }),
  problem: z.string().meta({ description: 'What was expected, and what was found if it may be shown.' }),
});

const newLog = z.object({
  feed_id: z.string().meta({ description: 'The register.' }),
  before: z.string().meta({ description: 'The name of its log before, as in change tokens.' }),
  log: z.string().meta({ description: 'The name of its new log.' }),
});

/** The answer of `gazette doctor`. */
export const examined: z.ZodType = z.object({
  found: countSchema('How many findings there are.'),
  findings: z.array(finding).meta({ description: 'At most 1,000 of them.' }),
  notes: z.array(z.string()).meta({ description: 'What could not be checked, and what registers might say besides.' }),
  versions: countSchema('How many versions were checked.'),
  new_logs: z.array(newLog).meta({ description: 'The registers that --restored gave a new log.' }),
});
