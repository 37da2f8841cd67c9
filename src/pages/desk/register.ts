// `/desk/feeds/{feed}`: a register, what waits to be approved in it, and its latest imports.
import { mayDo } from '../../operate/desk/editors.ts';
import { deskRegisterPage } from '../../templates/desk/register-page.ts';
import type { PageRoute } from '../services.ts';
import { pageAnswer, saidIn } from '../sign-in/answers.ts';
import { deskFrame, forEditor, registerFor } from './answers.ts';
import type { DeskServices } from './services.ts';

/** Among so many imports those are looked for that wait, and how many others are shown. */
const [LISTED, SHOWN] = [1000, 30];

/** The page. */
export function deskRegisterRoute(services: DeskServices): PageRoute {
  return {
    path: '/desk/feeds/{feed}',
    access: 'public',
    documentation: null,
    answer: (context, { feed: feedId }) =>
      forEditor(services, context, async (request) => {
        const { definition, total, lastChange } = await registerFor(request, services, 'see', feedId!);
        const imports = await services.imports.list(request.editor, feedId!, LISTED);
        const waiting = imports.filter(({ state }) => state === 'proposed');
        const frame = deskFrame(request, services);
        const document = deskRegisterPage(
          { ...frame, said: saidIn(context, frame, { set: frame.wording.desk.settings.done }) },
          {
            ...{ definition, total, lastChange },
            isUploadable: services.uploads !== null && mayDo(request.editor, 'change', definition.id),
            isSettable: mayDo(request.editor, 'change', definition.id),
            waiting,
            outdated: await services.imports.outdated(definition.id, waiting),
            erasures: await services.records.erasures(request.editor, definition.id),
            latest: imports.filter(({ state }) => state !== 'proposed').slice(0, SHOWN),
          },
        );
        return pageAnswer(context, document, frame);
      }),
  };
}
