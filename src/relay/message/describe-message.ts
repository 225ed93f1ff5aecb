import type { ByteChunks } from './byte-chunks.ts'
import { type FoundTokens, findTokens, hasTokens, templateIdsOf } from './find-tokens.ts'
import type { RelayedMessage } from './relayed-message.ts'

/**
 * Says of a message what the relay asks; what costs a look at the body only when it is asked. `tokens`
 * is given where it is known what there is to render.
 */
export function describeMessage(
  bytes: ByteChunks,
  known: Pick<RelayedMessage, 'head' | 'fingerprint'> & { tokens?: FoundTokens },
): RelayedMessage {
  const { head, fingerprint } = known
  let { tokens } = known
  const search = () => {
    tokens ??= findTokens(bytes)
    return tokens
  }
  const chunks = bytes.pieces(0, bytes.sizeBytes)
  return {
    head,
    fingerprint,
    chunks,
    sizeBytes: bytes.sizeBytes,
    get holdsTokens() {
      return hasTokens(search())
    },
    get templateIds() {
      return templateIdsOf(search())
    },
  }
}
