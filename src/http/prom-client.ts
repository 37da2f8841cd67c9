// Everything the service uses of prom-client. In `dist` the build replaces this file by prom-client itself (see `npm
// run build:carried`): as packages, it and its dependencies take 4.7 MB, of which 0.1 MB is used. Therefore no public
// entry may export its types.
export { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
