import { randomBytes } from 'node:crypto'
import { AppError } from '../../kit/app-error.ts'
import { type Keyring, SealedColumns, type Storage } from '../../platform/storage/index.ts'

/** The addresses and secrets of webhooks, which are encrypted in the database. */
export type WebhookSecrets = SealedColumns<'url' | 'secret' | 'old_secret'>

export function openWebhookSecrets(storage: Storage, keyring: Keyring): WebhookSecrets {
  return new SealedColumns({
    storage,
    keyring,
    table: 'webhooks',
    keyColumns: ['id'],
    columns: ['url', 'secret', 'old_secret'],
  })
}

/** The error for a webhook whose address or secret was encrypted with a data key that is missing. */
export function secretUnreadable(name: string): AppError {
  const message =
    `The secret of the webhook "${name}" cannot be decrypted, because its key is missing. ` +
    'Enter its address again and rotate its secret.'
  return new AppError('conflict', 'webhook_secret_unreadable', message)
}

const secretSizeBytes = 32
const secretPrefix = 'whsec_'

/** Creates a secret as Standard Webhooks writes it. */
export function createWebhookSecret(): string {
  return `${secretPrefix}${randomBytes(secretSizeBytes).toString('base64')}`
}

/** The bytes of a secret. */
export function secretBytesOf(secret: string): Buffer {
  return Buffer.from(secret.slice(secretPrefix.length), 'base64')
}
