// `/feeds/{feed_id}/calendar/{name}.ics`: the dates of one field as a calendar. Calendar programs send no key: it is for open
// registers, and for whoever can send one.
import { z } from 'zod';
import { refuseTier } from '../../access/scopes.ts';
import { GazetteError, quote } from '../../errors.ts';
import { CALENDAR_TYPE, calendarFields, calendarOf, PUBLICATION } from '../../formats/calendar.ts';
import { FIELD_NAMES } from '../../register/definition.ts';
import { calendarEntries, calendarUrl, NEWEST } from '../../views/calendars.ts';
import { feedParams, readFeedId } from '../description/parameters.ts';
import type { Route } from '../route.ts';
import { type ServiceContext, textBody } from '../service-context.ts';

/** The route. */
export function calendarRoute(service: ServiceContext): Route {
  return {
    path: '/feeds/{feed_id}/calendar/{name}.ics',
    access: 'pro',
    isOpenable: true,
    documentation: {
      operationId: 'getCalendar',
      tag: 'Exports',
      summary: 'The dates of a field as a calendar',
      description: `The newest ${NEWEST} records as events of their publication, or of an own field of type date or datetime, as iCalendar (RFC 5545), for programs that follow an address. Records without the date are left out; those that were withdrawn among the latest ${NEWEST} changes are \`STATUS:CANCELLED\`.`,
      params: feedParams.extend({
        name: z
          .string()
          .regex(FIELD_NAMES.pattern)
          .meta({ description: 'The name of the field.', example: PUBLICATION.name }),
      }),
      codes: ['unknown_feed', 'not_found'],
      headers: ['Content-Disposition'],
      response: { description: 'The calendar.', content: { 'text/calendar': { schema: { type: 'string' } } } },
    },
    async answer(context, pathParameters) {
      const feedId = readFeedId(pathParameters);
      const view = await service.registers.view(feedId, context.stamp);
      // The register may have been closed to the public since the caller was let in.
      if (service.tierOf(context, view) === 'public') refuseTier(context.access);
      const { definition } = view.entry;
      const { name = '' } = pathParameters;
      const fields = calendarFields(definition);
      const field = fields.find((one) => one.name === name);
      if (field === undefined) {
        const names = fields.map((one) => one.name).join(', ');
        throw new GazetteError('not_found', `register ${feedId} has no date ${quote(name)}: there is ${names}`);
      }
      return service.answer(context, {
        view,
        etag: service.tagOf(context, view, 'calendar', name),
        isText: true,
        async write(signal) {
          const entries = await calendarEntries(service.store, view, signal);
          const text = calendarOf(definition, field, entries, calendarUrl(context.api, feedId, name));
          return textBody(text, CALENDAR_TYPE, {
            'content-disposition': `inline; filename="${feedId}-${name}.ics"`,
          });
        },
      });
    },
  };
}
