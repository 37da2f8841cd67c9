// gazette.json as Zod schemas. Its members are the options of `gazette serve` and, for each register, those of
// `gazette import` that say how its file is read. What a value must be is decided by the option itself.
import type { Option } from 'commander';
import { z } from 'zod';
import { ID_PATTERNS } from '../../register/identity.ts';
import { definitionFileSchema } from '../../register/schemas/definition-file.ts';
import { CONFIG_MEMBER, isFlag, isRepeatable, memberOf } from './names.ts';

/** The value of a member, before its option has checked it. */
export type Given = string | number | boolean | readonly string[];

const setting = (option: Option): z.ZodType<Given> => {
  if (isFlag(option)) return z.boolean();
  if (isRepeatable(option)) return z.array(z.string().min(1));
  const { argChoices } = option;
  return argChoices === undefined ? z.union([z.string().min(1), z.number()]) : z.enum(argChoices);
};

function membersOf(options: readonly Option[]): Record<string, z.ZodOptional<z.ZodType<Given>>> {
  const named = options.filter((option) => memberOf(option) !== CONFIG_MEMBER);
  return Object.fromEntries(
    named.map((option) => {
      const { negate, description } = option;
      const text = negate ? `false: ${description}` : description;
      return [memberOf(option), setting(option).optional().meta({ description: text })];
    }),
  );
}

/**
 * The file.
 *
 * @param settings the options of `gazette serve`
 * @param reading the options that say how a file of records is read
 * @param definition what a definition is. Default: all that the schema of definition files says
 */
export function configurationSchema(
  settings: readonly Option[],
  reading: readonly Option[],
  definition: z.ZodType = definitionFileSchema.extend({
    id: z.string().regex(ID_PATTERNS.feed).meta({ description: 'The id of the register.' }),
  }),
): z.ZodObject {
  const file = z.string().min(1).meta({ description: 'The file, relative to the folder of this one.' });
  const source = z.strictObject({ file, ...membersOf(reading) });
  const register = z.strictObject({
    definition: definition.meta({ description: 'What gazette register add takes of a definition file.' }),
    import: source.optional().meta({
      description: 'The file that fills the register when gazette serve first starts, and how files for it are read.',
    }),
  });
  return z.strictObject({
    $schema: z.string().optional().meta({ description: 'The address of this schema, for editors.' }),
    registers: z.array(register).optional().meta({ description: 'The registers that gazette serve creates.' }),
    ...membersOf(settings),
  });
}
