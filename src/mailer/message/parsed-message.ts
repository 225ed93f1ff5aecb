/** A mailbox of a header: `name` is '' where none is given. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

/** A part that is neither the text nor the HTML of a message. */
export interface Attachment {
  readonly filename: string
  /** Lower case, without parameters. */
  readonly contentType: string
  readonly content: Uint8Array
  /** Without angle brackets; null unless the HTML refers to it. */
  readonly contentId: string | null
  readonly isInline: boolean
}

/** A message taken apart, for APIs that take no raw MIME. */
export interface ParsedMessage {
  readonly from: Mailbox
  readonly replyTo: readonly Mailbox[]
  /**
   * The envelope's recipients, each in one of the three: as the header shows them, and in `bcc` those
   * whom it does not show. Whoever is only in the header gets nothing. `to` is never empty.
   */
  readonly to: readonly Mailbox[]
  readonly cc: readonly Mailbox[]
  readonly bcc: readonly Mailbox[]
  readonly subject: string
  readonly text: string | null
  readonly html: string | null
  readonly attachments: readonly Attachment[]
  /** `X-Tag` headers, as Symfony Mailer writes tags. */
  readonly tags: readonly string[]
  /** `X-Metadata-*` headers. */
  readonly metadata: Readonly<Record<string, string>>
  /** Unfolded and decoded, in order; without those that the other members hold and the MIME ones. */
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  /** With its angle brackets. */
  readonly messageId: string | null
}
