import { AppError } from '../../../kit/app-error.ts'
import {
  commitSecretKey,
  findSecretKey,
  isBeingServed,
  resealSigningKeys,
  secretKeyPath,
  stageSecretKey,
} from '../../../platform/storage/index.ts'
import type { CommandInput } from '../command.ts'
import { exitCodes } from '../errors.ts'
import type { CommandContext } from '../output.ts'
import { readSettings, withApp } from '../session.ts'

export async function rotateSecrets({ environment, output }: CommandContext): Promise<number> {
  return withApp(environment, async (app) => {
    const keyId = await app.keyring.rotate()
    const resealed: string[][] = []
    for (const reseal of [
      () => app.transports.reseal(),
      () => app.refreshTokens.reseal(),
      () => app.mautics.reseal(),
      ...app.modules.map((each) => async () => (await each.reseal?.()) ?? []),
      () => resealSigningKeys(app.storage, app.keyring),
    ])
      resealed.push(await reseal())
    // Queued messages keep their keys: they are soon sent.
    const queued = await app.delivery.queue.findKeyIds()
    const usedKeyIds = [...new Set([...resealed.flat(), ...queued])]
    const forgotten = await app.keyring.prune(usedKeyIds)
    output.print({ keyId, usedKeyIds, forgotten }, [
      `Every secret is now encrypted with the data key ${keyId}.`,
      ...(forgotten > 0 ? [`${forgotten} unused data keys were deleted.`] : []),
    ])
    return exitCodes.ok
  })
}

const noKeyFile =
  'The secret key is set by MAILYARD_SECRET_KEY. Name a file with the new one: --new-key-file.'
const runningServer =
  'A Mailyard serves this database. Restart it afterwards: until then it cannot read new DSNs.\n'

export async function rewrapSecrets(
  { environment, output }: CommandContext,
  { texts: { newKeyFile } }: CommandInput,
): Promise<number> {
  const { config } = readSettings(environment)
  if (isBeingServed(config.databaseUrl) === true) environment.stderr.write(runningServer)
  const path = config.secretKey === undefined ? secretKeyPath(config.databaseUrl) : undefined
  return withApp(environment, async (app) => {
    if (newKeyFile !== undefined) {
      const newSecretKey = readKeyFile(newKeyFile)
      await app.keyring.rewrap(() => newSecretKey)
      const next =
        'Set MAILYARD_SECRET_KEY to the new key and restart every process: until then it cannot read DSNs.'
      output.print({ newKeyFile }, ['The data keys are encrypted with the new secret key.', next])
      return exitCodes.ok
    }
    if (path === undefined) throw new AppError('invalid', 'new_key_file_missing', noKeyFile)
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
  const message = `${file} must contain a secret key of 32 characters or more, such as the output of \`openssl rand -base64 32\`.`
  throw new AppError('invalid', 'new_key_unusable', message)
}
