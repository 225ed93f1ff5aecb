/** What a sender asks to be told about the delivery (RFC 3461); passed on where the server takes it. */
export interface NotificationRequest {
  readonly return?: 'FULL' | 'HDRS'
  readonly envelopeId?: string
  /** By recipient: `NOTIFY` and `ORCPT` as they are written in the RCPT command. */
  readonly recipients?: Readonly<Record<string, { notify?: string; originalRecipient?: string }>>
}

/** Who a message comes from and goes to, apart from what its header says (RFC 5321, section 2.3.1). */
export interface Envelope {
  /** The return path; '' is the null sender of bounces. */
  readonly from: string
  readonly to: readonly string[]
  readonly notification?: NotificationRequest
}

/** A message ready to be sent. */
export interface Message {
  readonly envelope: Envelope
  /**
   * The message as RFC 5322 has it, without dot-stuffing. Line ends are CRLF; a lone CR or LF is sent
   * as CRLF, since servers differ in what they take it for. It is not changed otherwise.
   */
  readonly raw: Uint8Array
}
