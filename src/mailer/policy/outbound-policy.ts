/** What an operator says about where messages may go. */
export interface OutboundRules {
  /**
   * `open`: private and loopback addresses may be reached, for those who host themselves. `public`:
   * only public addresses and mail ports. Cloud metadata and link-local addresses are closed in both.
   */
  readonly mode: 'open' | 'public'
  /**
   * What `public` lets through besides: an address or network (`10.1.0.0/16`), a host name
   * (`relay.internal`), each with or without a port (`localhost:25`, `[::1]:25`).
   */
  readonly allow?: readonly string[]
  /** Networks and addresses that are closed on top, such as one's own public ones. */
  readonly deny?: readonly string[]
}
