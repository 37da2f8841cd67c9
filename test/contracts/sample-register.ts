// The register of samples that gazette/testing publishes, under the name the tests know it by.
export { SAMPLE_DEFINITION, SAMPLE_HEAD, sampleRecord, sampleRecords } from '../../src/testing/sample-register.ts';
