// The layers of the house (src/README.md): a module imports only from lower layers, never sideways between the
// folders of one layer, never in a circle.
const LAYERS = [
  [
    'errors',
    'checks',
    'html-references',
    'html-text',
    'invisible',
    'money',
    'nearest',
    'problem',
    'shared',
    'value-text',
    'version',
  ],
  ['register', 'web', 'files', 'telemetry'],
  ['formats', 'stores'],
  ['import', 'export', 'access', 'webhooks', 'views', 'client', 'templates', 'testing', 'archive'],
  ['operate', 'mirror'],
  ['http', 'mcp', 'pages', 'snapshot'],
  ['service'],
  ['adapters'],
  ['cli'],
];

const at = (names) => `^src/(${names.join('|')})(/|\\.ts$)`;

/** Each folder above layer 0 may reach itself and every lower layer, nothing else. */
const layerRules = LAYERS.flatMap((layer, depth) =>
  layer.map((name) => ({
    name: `layer-${depth}-${name}`,
    comment: `${name} (layer ${depth}) imports only from lower layers and from itself`,
    severity: 'error',
    from: { path: at([name]) },
    to: {
      path: '^src/',
      pathNot: [at(depth === 0 ? layer : [name, ...LAYERS.slice(0, depth).flat()]), '^src/wings/'],
    },
  })),
);

/** Rooms that only wings have, by the layers they are at the height of. */
const OF_WINGS = { 1: ['tlog'], 4: ['purchases'] };

/** A wing has the same rooms as the house: each reaches the same layers, of the core and of its own wing. */
const wingRules = LAYERS.map((layer, depth) => [...layer, ...(OF_WINGS[depth] ?? [])]).flatMap((layer, depth, all) =>
  layer.map((name) => {
    const below = [name, ...all.slice(0, depth).flat()];
    return {
      name: `wings-${depth}-${name}`,
      comment: `${name}/ of a wing imports only what ${name}/ of the core may import, and from its own wing`,
      severity: 'error',
      from: { path: `^src/wings/([^/]+)/${name}/` },
      to: { path: '^src/', pathNot: [at(below), `^src/wings/$1/(${below.join('|')})/`] },
    };
  }),
);

export default {
  forbidden: [
    ...layerRules,
    ...wingRules,
    {
      name: 'core-knows-no-wing',
      comment: 'the core takes wings from the lists in src/wings/, and knows none',
      severity: 'error',
      // What an entry gives to others is gone with its wing.
      from: { path: '^src/(?!wings/)', pathNot: '^src/(mirror|service)/index\\.ts$' },
      to: { path: '^src/wings/[^/]+/' },
    },
    {
      name: 'errors-stand-alone',
      severity: 'error',
      from: {
        path: '^src/(errors|checks|html-references|html-text|invisible|money|nearest|problem|shared|value-text|version)\\.ts$',
      },
      to: { path: '^src/', pathNot: '^src/(errors|html-references|invisible|value-text)\\.ts$' },
    },
    {
      name: 'stores-contract-stands-alone',
      comment: 'contract/ says what a store promises, and knows nothing of how it is kept',
      severity: 'error',
      from: { path: '^src/stores/contract/' },
      to: { path: '^src/stores/', pathNot: '^src/stores/contract/' },
    },
    {
      name: 'stores-rows-below-logic',
      comment: 'rows/ says how things lie in columns, and decides nothing',
      severity: 'error',
      from: { path: '^src/stores/rows/' },
      to: { path: '^src/stores/', pathNot: '^src/stores/(contract|rows)/' },
    },
    {
      name: 'stores-logic-without-engines',
      comment: 'logic/ is written once for all databases, and knows none of them',
      severity: 'error',
      from: { path: '^src/stores/logic/' },
      to: { path: '^src/stores/', pathNot: '^src/stores/(contract|rows|logic)/' },
    },
    {
      name: 'stores-engines-apart',
      comment: 'sqlite/ and postgres/ share what logic/ and rows/ hold, and nothing else',
      severity: 'error',
      from: { path: '^src/stores/(sqlite|postgres)/' },
      to: { path: '^src/stores/(sqlite|postgres)/', pathNot: '^src/stores/$1/' },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: ['^src/(index|public-errors)\\.ts$', '^src/cli/gazette\\.ts$'] },
      to: {},
    },
    {
      name: 'not-to-dev-dependencies',
      comment:
        'prom-client, parse5, @noble/hashes, jschardet and undici are carried inside the package: the build puts a bundle in that module’s place',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/http/prom-client\\.ts$',
          '^src/cli/process/node/undici\\.ts$',
          '^src/formats/feeds/parse5\\.ts$',
          '^src/wings/selling/purchases/x402/keccak\\.ts$',
          '^src/import/readers/text/jschardet\\.ts$',
        ],
      },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm-peer', 'type-only'] },
    },
    {
      name: 'optional-peers-in-their-place',
      comment:
        'optional peers are reached only from the reference writers, that of Parquet, and where the pool of PostgreSQL, the mail server, buckets and spans are',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/formats/(reference|parquet)/',
          '^src/cli/options/store\\.ts$',
          '^src/cli/process/mail\\.ts$',
          '^src/cli/process/metrics\\.ts$',
          '^src/wings/selling/purchases/x402/',
          '^src/snapshot/bucket/requests\\.ts$',
        ],
      },
      to: { dependencyTypes: ['npm-peer'] },
    },
    {
      name: 'webhooks-verify-web-standard',
      comment: 'an edge receiver has no module of Node and installs no other package',
      severity: 'error',
      from: { path: '^src/webhooks/verify\\.ts$' },
      to: { path: '^(?!src/)', reachable: true },
    },
    {
      name: 'zod-for-surfaces-alone',
      comment: 'to export pages from one’s own server must not load a validator: only surfaces read requests with Zod',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/register/schemas/',
          '^src/(http|mcp)/',
          '^src/wings/[a-z]+/(http|mcp)/',
          '^src/cli/(schemas|configuration)/',
          '^src/service/plugins/',
        ],
      },
      to: { path: ['^src/register/schemas/', 'node_modules/zod/'], dependencyTypesNot: ['type-only'] },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
