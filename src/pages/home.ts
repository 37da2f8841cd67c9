// `/`: the registers.
import { homePage } from '../templates/home-page.ts';
import { frameOf, pageBody } from './frame.ts';
import type { PageOptions, PageRoute, PageServices } from './services.ts';

/** `/`. */
export function homeRoute(services: PageServices, options: PageOptions): PageRoute {
  return {
    path: '/',
    access: 'public',
    documentation: null,
    async answer(context) {
      const frame = frameOf(context, options);
      const entries = await services.store.registers();
      return services.answer(context, {
        view: null,
        etag: null,
        isText: true,
        write: () => pageBody(homePage(frame, entries), { language: frame.wording.language }),
      });
    },
  };
}
