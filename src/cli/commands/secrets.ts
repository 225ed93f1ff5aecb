import { AppError } from '../../kit/app-error.ts'
import {
  commitSecretKey,
  findSecretKey,
  isBeingServed,
  secretKeyPath,
  stageSecretKey,
} from '../../storage/index.ts'
import type { CommandContext } from '../command-context.ts'
import { exitCodes } from '../exit-codes.ts'
import { readAppOptions, withApp } from '../session.ts'

/** `mailyard secrets rotate` */
export async function rotateSecrets({ surroundings, output }: CommandContext): Promise<number> {
  return withApp(surroundings, async (app) => {
    const keyId = await app.keyring.rotate()
    const resealed = [await app.transports.reseal(), await app.inbox.reseal()]
    const usedKeyIds = [...new Set(resealed.flat())]
    const forgotten = await app.keyring.prune(usedKeyIds)
    output.print({ keyId, usedKeyIds, forgotten }, [
      `Every secret is now encrypted under the data key ${keyId}.`,
      ...(forgotten > 0 ? [`${forgotten} data keys that nothing uses were forgotten.`] : []),
    ])
    return exitCodes.ok
  })
}

const runningServer =
  'A Mailyard is serving this database. Restart it after this: it cannot read new DSNs before.\n'

/** `mailyard secrets rewrap` */
export async function rewrapSecrets(
  { surroundings, output }: CommandContext,
  options: { newKeyFile?: string },
): Promise<number> {
  const { config } = readAppOptions(surroundings)
  if (isBeingServed(config.databaseUrl) === true) surroundings.stderr.write(runningServer)
  const path = config.secretKey === undefined ? secretKeyPath(config.databaseUrl) : undefined
  return withApp(surroundings, async (app) => {
    if (options.newKeyFile !== undefined) {
      const newSecretKey = readKeyFile(options.newKeyFile)
      await app.keyring.rewrap(() => newSecretKey)
      const next =
        'Set MAILYARD_SECRET_KEY to the new key and restart every process: until then it cannot read DSNs.'
      output.print({ newKeyFile: options.newKeyFile }, [
        'The data keys are wrapped under the new secret key.',
        next,
      ])
      return exitCodes.ok
    }
    if (path === undefined) throw newKeyFileMissing()
    await app.keyring.rewrap(() => stageSecretKey(path))
    commitSecretKey(path)
    output.print({ keyFile: path }, [
      `The key file ${path} holds a new secret key. Restart every process: until then it cannot read DSNs.`,
    ])
    return exitCodes.ok
  })
}

function readKeyFile(file: string): string {
  const secretKey = findSecretKey(file)
  if (secretKey !== undefined && secretKey.length >= 32) return secretKey
  const message = `${file} must hold a secret key of 32 characters or more; \`openssl rand -base64 32\` makes one.`
  throw new AppError('invalid', 'new_key_unusable', message)
}

function newKeyFileMissing(): AppError {
  const message =
    'The secret key comes from MAILYARD_SECRET_KEY; give the new one with --new-key-file.'
  return new AppError('invalid', 'new_key_file_missing', message)
}
