import { uncarriable } from './uncarriable.ts'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * A raw message as a text, for APIs that take MIME inside of JSON. Throws FaultError for bytes that
 * are not UTF-8 (an 8-bit body in another charset), since JSON would change them.
 */
export function rawText(raw: Uint8Array, title: string): string {
  try {
    return decoder.decode(raw)
  } catch {
    throw uncarriable(
      `The API of ${title} takes messages in UTF-8 only, and this one has other 8-bit text.`,
      'Encode its parts as quoted-printable or base64, or use the SMTP scheme.',
    )
  }
}
