import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
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
import type { Config } from './settings.ts'

/** Opens the keyring with the secret key from the setting, or from the key file, which is created for a new database. */
export async function openAppKeyring(
  config: Config,
  { storage, clock }: { storage: Storage; clock: Clock },
): Promise<Keyring> {
  const open = (secretKey: string) => openKeyring({ storage, clock, secretKey })
  if (config.secretKey !== undefined) return open(config.secretKey)
  const path = secretKeyPath(config.databaseUrl)
  if (path === undefined) throw secretKeyMissing()
  const secretKey = findSecretKey(path) ?? (await createMissingKey(path, storage))
  try {
    return await open(secretKey)
  } catch (error) {
    // `secrets rewrap` was interrupted after the data keys were encrypted with the staged key.
    const staged = findStagedSecretKey(path)
    if (staged === undefined || !(error instanceof AppError)) throw error
    const keyring = await open(staged)
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
    'MAILYARD_SECRET_KEY is not set. With PostgreSQL every process needs the same key: set it to the output of ' +
    '`openssl rand -base64 32`.'
  return new AppError('invalid', 'secret_key_missing', message)
}

function keyFileMissing(path: string): AppError {
  const message =
    `The key file ${path} is missing, and the secrets in the database cannot be decrypted without it. ` +
    'Restore it, or set MAILYARD_SECRET_KEY to its content.'
  return new AppError('invalid', 'key_file_missing', message)
}
