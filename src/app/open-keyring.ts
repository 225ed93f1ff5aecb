import type { Config } from '../config/index.ts'
import { AppError } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import {
  commitSecretKey,
  createSecretKey,
  findSecretKey,
  findStagedSecretKey,
  hasDataKeys,
  type Keyring,
  openKeyring,
  type Storage,
  secretKeyPath,
} from '../storage/index.ts'

/** With the secret key of the setting, or of the key file, which a new database is given. */
export async function openAppKeyring(
  config: Config,
  parts: { storage: Storage; clock: Clock },
): Promise<Keyring> {
  if (config.secretKey !== undefined) return openKeyring({ ...parts, secretKey: config.secretKey })
  const path = secretKeyPath(config.databaseUrl)
  if (path === undefined) throw secretKeyMissing()
  const secretKey = findSecretKey(path) ?? (await createMissingKey(path, parts.storage))
  try {
    return await openKeyring({ ...parts, secretKey })
  } catch (error) {
    // A change of the secret key was cut short after the data keys were wrapped under the new one.
    const staged = findStagedSecretKey(path)
    if (staged === undefined || !(error instanceof AppError)) throw error
    const keyring = await openKeyring({ ...parts, secretKey: staged })
    commitSecretKey(path)
    return keyring
  }
}

async function createMissingKey(path: string, storage: Storage): Promise<string> {
  if (await hasDataKeys(storage)) throw keyFileMissing(path)
  return createSecretKey(path)
}

function secretKeyMissing(): AppError {
  const message =
    'MAILYARD_SECRET_KEY must be set with PostgreSQL, so that every process has the same; ' +
    '`openssl rand -base64 32` makes one.'
  return new AppError('invalid', 'secret_key_missing', message)
}

function keyFileMissing(path: string): AppError {
  const message =
    `The key file ${path} is gone, and without it the secrets in the database cannot be read. ` +
    'Put it back, or set MAILYARD_SECRET_KEY to what was in it.'
  return new AppError('invalid', 'key_file_missing', message)
}
