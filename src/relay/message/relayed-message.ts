/** What the relay reads of a message's head. What is missing or makes no sense is undefined. */
export interface MessageHead {
  /** With its angle brackets, white space taken out. */
  readonly messageId: string | undefined
  /** The bare address of the first mailbox of From. */
  readonly from: string | undefined
  /** Whether the message says `Precedence: Bulk`, in any case. */
  readonly isBulk: boolean
  /** `X-Mailyard-Transport`: a transport's name or id, decoded. */
  readonly transport: string | undefined
  /** The bare address of the first mailbox of To; not looked for without `X-EMAIL-ID`. */
  readonly to: string | undefined
  /** `X-EMAIL-ID`; a positive whole number, as the two below. */
  readonly emailId: number | undefined
  /** `X-Owner-Id` */
  readonly ownerId: number | undefined
  /** `X-Contact-Id` */
  readonly contactId: number | undefined
}

/** A message on its way through the relay, the headers meant for Mailyard taken out. */
export interface RelayedMessage {
  readonly head: MessageHead
  /** The message; what is not changed is the memory that came in. */
  readonly chunks: readonly Uint8Array[]
  readonly sizeBytes: number
  /** Whether a text part or the Subject holds a `{twigtemplate=…}` token. Found out when first asked. */
  readonly holdsTokens: boolean
  /** The templates that the tokens name, each once; a token may name none. */
  readonly templateIds: readonly number[]
  /** A hash of the message as it came in: what it is known by where it has no Message-ID. */
  readonly fingerprint: () => string
  /** What the message says; see `digestContent`. */
  readonly contentDigest: () => string
}

/**
 * Gives what stands in the place of `{twigtemplate=<id>}`; an id that is no number is undefined. HTML
 * where `kind` says so, else plain text, on one line for a Subject.
 */
export type RenderTemplate = (
  id: number | undefined,
  kind: 'html' | 'text',
) => string | Promise<string>
