// The pages of keys and those of endpoints have one shape: a list with a form for a new one, and a page of each with its
// forms. A form that is refused is shown again, with what is wrong.
import { isGazetteError } from '../../errors.ts';
import type { OwnerFrame, Sent } from '../../templates/account/parts.ts';
import type { HttpResponse } from '../../web/representation.ts';
import type { PageContext, PageRoute } from '../services.ts';
import { pageAnswer } from '../sign-in/answers.ts';
import { forOwner, forOwnersForm, notThere, sessionFrame } from './answers.ts';
import { problemOf } from './fields.ts';
import type { OwnerRequest, OwnerServices } from './services.ts';

/** What a form asks for. @param id what it is about; empty for a new one */
export type Act = (request: OwnerRequest, id: string, fields: URLSearchParams) => Promise<HttpResponse>;

/** A form, and what it asks for. */
export interface FormAction {
  /** The form that is shown again when it is refused; absent: a refusal is an error page. */
  readonly form?: string;
  readonly act: Act;
}

/** The pages of an account's keys, or of its endpoints. */
export interface Collection {
  /** Of the list. */
  readonly path: string;
  /** The name of the id in the path of one. */
  readonly id: string;
  /** The list. @param sent a form for a new one that was refused */
  readonly all: (request: OwnerRequest, sent: Sent | null) => Promise<HttpResponse>;
  /** The page of one. @param sent a form of it that was refused */
  readonly one: (request: OwnerRequest, id: string, sent: Sent | null) => Promise<HttpResponse>;
  /** The form for a new one. */
  readonly add: FormAction;
  /** The forms of one, by what their paths add to its own. */
  readonly acts: Readonly<Record<string, FormAction>>;
}

/** The routes of a collection. */
export function collectionRoutes(services: OwnerServices, collection: Collection): readonly PageRoute[] {
  const { path, id: name, all, one, add, acts } = collection;
  const route = (below: string, { form, act }: FormAction, hasPage: boolean): PageRoute => ({
    path: path + below,
    access: 'public',
    documentation: null,
    methods: hasPage ? ['GET', 'HEAD', 'POST'] : ['POST'],
    answer: async (context, parameters) => {
      const id = parameters[name] ?? '';
      const again = (request: OwnerRequest, sent: Sent | null): Promise<HttpResponse> =>
        id === '' ? all(request, sent) : one(request, id, sent);
      return foundBy(context, () =>
        context.request.method === 'POST'
          ? forOwnersForm(services, context, async (request, fields) => {
              try {
                return await act(request, id, fields);
              } catch (error) {
                if (form === undefined) throw error;
                const { account: texts } = sessionFrame(request, services).wording;
                return again(request, { fields, problem: problemOf(error, { form, fields, texts }) });
              }
            })
          : forOwner(services, context, (request) => again(request, null)),
      );
    },
  });
  return [
    route('', add, true),
    ...Object.entries(acts).map(([below, act]) => route(`/{${name}}${below}`, act, below === '')),
  ];
}

/** Answers, where what is not the account's own is not there. @throws GazetteError `not_found` */
export async function foundBy<T>(context: PageContext, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw UNKNOWN.some((code) => isGazetteError(error, code)) ? notThere(context) : error;
  }
}

const UNKNOWN = ['unknown_key', 'unknown_endpoint', 'unknown_delivery'] as const;

/** A page with forms. @param sent one that was refused */
export function formAnswer(
  { context }: OwnerRequest,
  document: string,
  { frame, sent }: { readonly frame: OwnerFrame; readonly sent: Sent | null },
): HttpResponse {
  return pageAnswer(context, document, { ...frame, status: sent === null ? 200 : 422 });
}
