/**
 * Stores the refresh tokens that replace those of DSNs: some token endpoints return another refresh token with each
 * access token, and accept only the last one.
 * @see RFC 6749, section 6
 * @example
 * ```ts
 * const tokens = new Map<string, string>()
 * const refreshTokens: RefreshTokenStore = {
 *   find: async (grantKey) => tokens.get(grantKey),
 *   save: async (grantKey, refreshToken) => void tokens.set(grantKey, refreshToken),
 * }
 * const mailer = createMailer({ refreshTokens })
 * ```
 */
export interface RefreshTokenStore {
  /**
   * Returns the last refresh token of a grant; undefined if the one of its DSN was never replaced.
   * @param grantKey Stands for the token URL, the client id and the refresh token of the DSN: 64 hexadecimal digits. It
   *   holds no secret.
   */
  find(grantKey: string): Promise<string | undefined>
  /** Stores a refresh token. The one before is used no more once the promise resolves. */
  save(grantKey: string, refreshToken: string): Promise<void>
}
