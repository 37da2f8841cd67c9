// The published suites as an outsider runs them: with node:test, from the public entries.
import { test } from 'node:test';
import '../examples/sources.ts';
import { format as tsv } from '../../examples/tsv.ts';
import { defineRegister, defineSource } from '../../src/index.ts';
import { createGazette } from '../../src/service/index.ts';
import { SqliteStore } from '../../src/stores/index.ts';
import * as testing from '../../src/testing/index.ts';

testing.formatContract(test, tsv, {
  countRecords: (document) => document.toString().trimEnd().split('\n').length - 1,
});

const definition = defineRegister({ id: 'permits', title: 'Permits', created_at: '2026-01-01T00:00:00Z' });

testing.sourceContract(test, () => {
  const table = Array.from({ length: 12 }, (_, index) => ({
    position: 12 - index,
    id: String(12 - index),
    title: `Permit ${12 - index}`,
    source_url: 'https://example.org/',
    observed_at: '2026-04-19',
    document_type: index % 2 === 0 ? 'draft' : 'adopted',
  }));
  const source = defineSource({
    definition,
    top: () => 12,
    rows: ({ below, limit, filter }) =>
      table
        .filter(({ position }) => position < below)
        .filter((row) => filter?.key === undefined || filter.key.includes(row.id))
        .filter((row) => filter?.document_type === undefined || filter.document_type.includes(row.document_type))
        .filter(() => filter?.facility_id === undefined)
        .slice(0, limit),
  });
  return { source, ids: table.map(({ id }) => `permits:${id}`) };
});

const open = async (): Promise<{ readonly store: SqliteStore; readonly dispose: () => Promise<void> }> => {
  const store = SqliteStore.open(':memory:');
  return { store, dispose: () => store.close() };
};
testing.registerStoreContract(test, open);
testing.accountStoreContract(test, open);
testing.signInStoreContract(test, open);
testing.catalogueContract(test, open);
testing.deliveryStoreContract(test, open);

const { plugin } = await import('../../examples/plugin.ts');
testing.pluginContract(test, plugin, async () => {
  const store = SqliteStore.open(':memory:');
  const gazette = createGazette({ store, plugins: [plugin] });
  const dispose = async (): Promise<void> => {
    await gazette.close();
    await store.close();
  };
  return { store, fetch: gazette.fetch, figures: () => gazette.metrics.registry.metrics(), dispose };
});
