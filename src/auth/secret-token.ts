import { hash, randomBytes } from 'node:crypto'

/** A token that nobody guesses: 256 random bits, in base64url. */
export function createToken(): string {
  return randomBytes(32).toString('base64url')
}

/** How tokens and client secrets are stored: they are random enough for a plain hash. SHA-256 in hex. */
export function hashToken(token: string): string {
  return hash('sha256', token)
}
