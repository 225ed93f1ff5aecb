/** Which rule a DSN breaks. */
export type DsnErrorCode =
  | 'no_scheme'
  | 'no_host'
  | 'unsupported_scheme'
  | 'unknown_keyword'
  | 'unbalanced'
  | 'too_many_members'
  | 'trailing_text'
  | 'comma_in_list'
  | 'special_character'
  | 'control_character'
  | 'invalid_host'
  | 'invalid_port'
  | 'invalid_option'
  | 'contradiction'
  | 'missing_user'
  | 'missing_password'
  | 'misplaced_key'
  | 'forbidden'
  | 'unfilled_mask'
  | 'unprintable'

/**
 * A DSN that cannot be used. `message` is one sentence fit to be shown to the person who typed the
 * DSN; it names what to change and never holds a user name, a password or an option's value.
 */
export class DsnError extends Error {
  override readonly name = 'DsnError'
  readonly code: DsnErrorCode

  constructor(code: DsnErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
