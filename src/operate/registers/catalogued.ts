// What registers do not say of themselves, and portals for open data ask for (DCAT-AP 3.0).
import type { RegisterDefinition } from '../../register/record.ts';
import type { InspectedStore } from '../../stores/contract/inspection.ts';

/** What a definition may lack, and what catalogues say then. */
const ASKED: readonly (readonly [(definition: RegisterDefinition) => boolean, string])[] = [
  [({ description }) => description === '', 'catalogues for portals have the title in place of a description'],
  [({ author }) => author === null, 'catalogues for portals name the service as the publisher (author)'],
  [
    ({ rights }) => rights === null,
    'catalogues for portals have no licence (rights), but for --licence-url of the service',
  ],
  [({ language }) => language === null, 'catalogues for portals do not say the language'],
];

/** How many registers are named. */
const NAMED = 5;

/** A line for each thing that registers lack. */
export async function lackedByCatalogues({ catalogue }: Pick<InspectedStore, 'catalogue'>): Promise<readonly string[]> {
  const found = ASKED.map(() => ({ count: 0, named: [] as string[] }));
  for await (const entries of catalogue.walk())
    for (const { definition } of entries)
      for (const [at, [lacks]] of ASKED.entries()) {
        if (!lacks(definition)) continue;
        const of = found[at]!;
        if (++of.count <= NAMED) of.named.push(definition.id);
      }
  return found.flatMap(({ count, named }, at) => {
    const others = count - named.length;
    return count === 0 ? [] : [`${ASKED[at]![1]}: ${named.join(', ')}${others === 0 ? '' : ` and ${others} more`}`];
  });
}
