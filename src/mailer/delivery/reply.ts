/**
 * What a server answered, with secrets blanked. For `smtp` the code is the reply code (RFC 5321,
 * section 4.2) and `enhancedCode` the one of RFC 3463, such as `5.7.1`; for `http` the code is the
 * status and `enhancedCode` the provider's own error code, if it has one.
 */
export interface Reply {
  readonly protocol: 'smtp' | 'http' | 'command' | 'inbox'
  readonly code: number
  readonly enhancedCode: string | null
  /** The text without the codes, lines joined by a blank. */
  readonly text: string
}
