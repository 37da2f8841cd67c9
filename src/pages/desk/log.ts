// `/desk/log`: what an editor did, and what was done to her registers.
import { deskLogPage } from '../../templates/desk/log-page.ts';
import type { PageRoute } from '../services.ts';
import { pageAnswer } from '../sign-in/answers.ts';
import { deskFrame, forEditor } from './answers.ts';
import type { DeskServices } from './services.ts';

/** So many on a page. */
const PAGE = 50;

/** `/desk/log`. */
export function deskLogRoute(services: DeskServices): PageRoute {
  return {
    path: '/desk/log',
    access: 'public',
    documentation: null,
    answer: (context) =>
      forEditor(services, context, async (request) => {
        const asked = context.parameters.get('before') ?? '';
        const range = /^[1-9]\d{0,14}$/.test(asked) ? { below: Number(asked) } : {};
        // One more than are shown tells whether there are older ones.
        const found = await services.editors.log({ ...range, limit: PAGE + 1, of: request.editor });
        const entries = found.slice(0, PAGE);
        const older = found.length > PAGE ? new URLSearchParams({ before: String(entries.at(-1)!.number) }) : null;
        const frame = deskFrame(request, services);
        return pageAnswer(context, deskLogPage(frame, { entries, older }), frame);
      }),
  };
}
