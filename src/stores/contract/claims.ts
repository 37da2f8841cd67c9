// What a sender asks for when it claims deliveries (deliveries.ts).

/** Which deliveries to claim. */
export interface ClaimOptions {
  /** The current time by the sender's clock. */
  readonly now: string;
  /** Identifies this claim; outcomes refer to it. */
  readonly lease: string;
  /** When the lease ends. */
  readonly until: string;
  /** The maximum number of deliveries over all endpoints. */
  readonly limit: number;
  /** The maximum per endpoint, by endpoint id. Others: `limitPerEndpoint`. */
  readonly room: ReadonlyMap<string, number>;
  /** The maximum for each endpoint that `room` does not contain. */
  readonly limitPerEndpoint: number;
  /** The maximum over all endpoints of an account, by account id. Others: `limit`. */
  readonly accountRoom: ReadonlyMap<string, number>;
}
