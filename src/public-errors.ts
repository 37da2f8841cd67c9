/**
 * The entry `gazette/errors`: the error that all entries throw, and the answer over HTTP that is made of it. It runs on
 * web-standard globals alone.
 *
 * @module
 */
export { GazetteError, isGazetteError, type ErrorCode, type ErrorDetails } from './errors.ts';
export { PROBLEM_MEDIA_TYPE, toProblem, type Problem } from './problem.ts';
