// What `gazette editor` prints for programs.
import { z } from 'zod';
import { DESK_ACTIONS, EDITOR_ROLES } from '../../stores/contract/desk/editors.ts';

/** An editor of the desk. */
export const editor: z.ZodType = z.object({
  name: z.string(),
  email: z.string().nullable().meta({ description: 'Where links to sign in are sent; null once removed.' }),
  feeds: z.array(z.string()).nullable().meta({ description: 'The registers; null: all, future ones too.' }),
  role: z.enum(EDITOR_ROLES).meta({ description: 'review: only approves what others propose.' }),
  created_at: z.string(),
  removed_at: z.string().nullable().meta({ description: 'When the editor was removed; null: not.' }),
});

/** Something that was done. */
export const deskEntry: z.ZodType = z.object({
  number: z.int().min(1).meta({ description: 'Rising.' }),
  at: z.string(),
  who: z
    .string()
    .nullable()
    .meta({ description: 'The editor; with the role operator, a user of the operating system.' }),
  role: z.enum([...EDITOR_ROLES, 'operator']).meta({ description: 'What the editor was then.' }),
  action: z.enum(DESK_ACTIONS),
  feed_id: z.string().nullable().meta({ description: 'The register; null: none.' }),
  subject: z.string().nullable().meta({
    description: 'The name of an editor, the id of a record, or the number of an import; null: none of them.',
  }),
});
