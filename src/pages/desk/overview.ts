// `/desk`: the registers that an editor works on.
import { GazetteError, quote } from '../../errors.ts';
import { mayDo } from '../../operate/desk/editors.ts';
import { LATEST_IMPORTS, overdueOf, takenInAt, timeSpan } from '../../operate/registers/overdue.ts';
import { OFFSET } from '../../register/parameters.ts';
import type { Editor } from '../../stores/contract/desk/editors.ts';
import type { RegisterEntry } from '../../stores/contract/registers.ts';
import { deskOverviewPage } from '../../templates/desk/overview-page.ts';
import { offsetIn } from '../page-query.ts';
import type { PageRoute } from '../services.ts';
import { pageAnswer, saidIn } from '../sign-in/answers.ts';
import { deskFrame, forEditor } from './answers.ts';
import type { DeskServices } from './services.ts';

/** How many registers a page shows, and how many imports of each. */
const [REGISTERS, IMPORTS] = [20, 3];

/** `/desk`. */
export function deskOverviewRoute(services: DeskServices): PageRoute {
  const { store, imports, now } = services;
  return {
    path: '/desk',
    access: 'public',
    documentation: null,
    answer: (context) =>
      forEditor(services, context, async (request) => {
        const { editor } = request;
        const offset = offsetIn(context.parameters);
        const { entries, hasMore } = await registersOf(services, editor, offset);
        if (offset > 0 && entries.length === 0) {
          throw new GazetteError('not_found', `there are no registers at the offset ${quote(offset)}`);
        }
        const waiting = Map.groupBy(await store.imports.proposals.waiting(), ({ feedId }) => feedId);
        const shown = await Promise.all(
          entries.map(async ({ definition, total, lastChange }) => {
            const latest = await imports.list(editor, definition.id, LATEST_IMPORTS);
            const takenAt = takenInAt(latest);
            const late = overdueOf(definition, takenAt, now());
            const overdue = late === null ? null : timeSpan(late.everyMs);
            const waits = waiting.get(definition.id)?.length ?? 0;
            const shown = latest.slice(0, IMPORTS);
            return {
              definition,
              total,
              lastChange,
              takenAt,
              overdue,
              waiting: waits,
              imports: shown,
              outdated: await imports.outdated(definition.id, shown),
            };
          }),
        );
        const own = deskFrame(request, services);
        const frame = { ...own, said: saidIn(context, own, own.wording.desk.making.done) };
        const making = (await services.makes?.list(editor)) ?? [];
        const document = deskOverviewPage(frame, {
          ...{ editor, registers: shown },
          making: making.map(({ id, upload }) => ({ id, file: upload.file, who: upload.who, isAsked: upload.isAsked })),
          mayMake: services.makes !== null && mayDo(editor, 'make', ''),
          before: offset === 0 ? null : pageAt(Math.max(0, offset - REGISTERS)),
          after: hasMore ? pageAt(offset + REGISTERS) : null,
        });
        return pageAnswer(context, document, frame);
      }),
  };
}

/** Some of the registers that an editor works on, by id. Those that were removed are left out. */
async function registersOf(
  { store }: DeskServices,
  { feeds }: Editor,
  offset: number,
): Promise<{ readonly entries: readonly RegisterEntry[]; readonly hasMore: boolean }> {
  if (feeds === null) {
    const { registers, nextOffset } = await store.catalogue.page({ offset, limit: REGISTERS });
    return { entries: registers, hasMore: nextOffset !== null };
  }
  const found = await Promise.all(
    feeds
      .toSorted()
      .slice(offset, offset + REGISTERS)
      .map((id) => store.register(id)),
  );
  return { entries: found.filter((entry) => entry !== null), hasMore: feeds.length > offset + REGISTERS };
}

function pageAt(offset: number): URLSearchParams {
  return new URLSearchParams(offset === 0 ? {} : { [OFFSET.name]: String(offset) });
}
