import type { ByteChunks } from './byte-chunks.ts'
import { type FoundTokens, findTokens, hasTokens, templateIdsOf } from './find-tokens.ts'
import type { FieldBlock } from './header-fields.ts'
import type { RelayedMessage } from './relayed-message.ts'

/** What is known of a message already. */
export interface KnownOfMessage
  extends Pick<RelayedMessage, 'head' | 'fingerprint' | 'contentDigest'> {
  block?: FieldBlock
  /** Given where it is known what there is to render. */
  tokens?: FoundTokens
}

/** Says of a message what the relay asks; what costs a look at the body only when it is asked. */
export function describeMessage(bytes: ByteChunks, known: KnownOfMessage): RelayedMessage {
  const { head, fingerprint, contentDigest, block } = known
  let { tokens } = known
  const search = () => {
    tokens ??= findTokens(bytes, block)
    return tokens
  }
  const chunks = bytes.pieces(0, bytes.sizeBytes)
  return {
    head,
    fingerprint,
    contentDigest,
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
