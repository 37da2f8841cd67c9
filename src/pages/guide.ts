// `/guide`: how to use the data in programs, with this service's own addresses.
import { guidePage } from '../templates/guide-page.ts';
import { frameOf, pageBody, siteOf } from './frame.ts';
import type { PageOptions, PageRoute, PageServices } from './services.ts';

/** `/guide`. */
export function guideRoute(services: PageServices, options: PageOptions): PageRoute {
  return {
    path: '/guide',
    access: 'public',
    documentation: null,
    async answer(context) {
      const frame = frameOf(context, options);
      const entries = await services.store.registers();
      const example = entries.find(({ total }) => total > 0) ?? entries[0];
      const { access } = context;
      return services.answer(context, {
        view: null,
        etag: null,
        isText: true,
        write: () => {
          const text = guidePage(frame, {
            site: siteOf(context),
            api: context.api,
            feedId: example?.definition.id ?? null,
            formats: options.formats.map(({ name }) => name),
            ...options.limits,
            keysUrl: options.service.keysUrl,
            lastFour: access.tier === 'pro' && access.key !== null ? access.key.lastFour : null,
          });
          return pageBody(text, { language: frame.wording.language });
        },
      });
    },
  };
}
