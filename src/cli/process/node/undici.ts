// What is used of the package `undici`. A module of its own: the build puts this in place of the package.
export { Agent, EnvHttpProxyAgent, setGlobalDispatcher } from 'undici';
