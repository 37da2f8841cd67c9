// `gazette serve`: the service over a store.
import { type Undescribed, command } from '../command.ts';
import { SERVE_OPTIONS } from '../options/serving.ts';

/** `gazette serve`. */
export const serveCommand: Undescribed = command({
  arguments: [],
  options: SERVE_OPTIONS,
  basics: [
    ...(['store', 'port', 'host', 'baseUrl', 'workers', 'metricsPort', 'trustProxy', 'pages'] as const),
    ...(['title', 'contact', 'smtp', 'limitAddress'] as const),
  ],
  async run(_, options, { io, signal, configuration }) {
    // The libraries of the service are loaded only for this command.
    const { serve } = await import('../process/serving.ts');
    await serve(options, configuration, io, signal);
  },
});
