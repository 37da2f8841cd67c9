// Which configuration a service last started with, and since when it is the current one: the bytes of an answer are made of it
// as much as of the data, and so is the date that a reader may ask by.

/** What a store keeps of the configurations of services. */
export interface ConfigurationStore {
  /**
   * Notes the configuration that a service starts with. Whichever was noted last is the current one.
   *
   * @param digest of everything that shapes answers
   * @param seconds the clock, in whole seconds since 1970
   * @returns since when it is the current one, in seconds since 1970: a time of its own, after that of every change of a register
   *   that was committed before, and before that of every later one. The same as before if it is the current one already
   * @throws GazetteError `store_busy`, `store_unavailable`
   */
  begin(digest: string, seconds: number): Promise<number>;
  /** Since when the current one is the current one; 0 before the first. @throws GazetteError `store_busy`, `store_unavailable` */
  since(): Promise<number>;
}
