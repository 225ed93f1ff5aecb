import type { Keyring, SealedBytes } from '../storage/index.ts'

const purpose = 'queued message'

/** Encrypts and decrypts the bodies of queued messages. */
export interface MessageBodies {
  seal(chunks: readonly Uint8Array[]): Promise<SealedBytes>
  /** Throws if the body was changed, or its data key deleted. */
  open(sealed: SealedBytes): Promise<Buffer>
}

export function createMessageBodies(
  keyring: Pick<Keyring, 'sealBytes' | 'openBytes'>,
): MessageBodies {
  return {
    seal: (chunks) => keyring.sealBytes(purpose, chunks),
    open: (sealed) => keyring.openBytes(purpose, sealed),
  }
}
