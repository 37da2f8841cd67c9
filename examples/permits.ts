// A small register over an array: the other examples serve it.
import { defineRegister, fromRecords, type RecordInput, type RegisterSource } from 'gazette';

const records = Array.from({ length: 250 }, (_, index): RecordInput => ({
  id: `2026-${String(index + 1).padStart(4, '0')}`,
  title: `Permit number ${index + 1}`,
  document_type: index % 10 === 0 ? 'refused' : 'adopted',
  source_url: `https://exampleton.example/permits/${index + 1}`,
  observed_at: '2026-04-19T08:12:44Z',
  data: { fee: 100 + index },
}));

/** 250 invented permits, the last one the newest. */
export const permits: RegisterSource = fromRecords(
  defineRegister({
    id: 'permits',
    title: 'Permits of Exampleton',
    created_at: '2026-01-01T00:00:00Z',
    authority: 'exampleton.example',
    year: 2026,
    fields: [{ name: 'fee', label: 'Fee in euros', type: 'number' }],
  }),
  records,
  { order: 'oldest-first' },
);
