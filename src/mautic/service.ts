import type { Transaction } from 'kysely'
import type { Clock } from '../kit/clock.ts'
import type { Keyring, Storage } from '../storage/index.ts'
import { type FindMautics, openFindMautics } from './find-mautics.ts'
import { type MauticResource, type MauticResourceOptions, openMauticResource } from './mautics.ts'
import { openStoredSecrets } from './stored-secrets.ts'

/** Options of `openMautics`. */
export interface MauticsOptions extends Omit<MauticResourceOptions, 'secrets'> {
  storage: Storage
  clock: Clock
  keyring: Keyring
  findTransports: (ids: readonly number[], tx: Transaction<object>) => Promise<readonly number[]>
  /** Called after Mautics were changed. */
  onChanged: () => Promise<void>
}

/** The connected Mautics. */
export interface Mautics extends MauticResource, FindMautics {
  /** Encrypts every secret with the current data key; returns the ids of the keys that are still in use. */
  reseal(): Promise<string[]>
}

/** Opens the connected Mautics. */
export function openMautics(options: MauticsOptions): Mautics {
  const secrets = openStoredSecrets(options)
  const resource = openMauticResource({ ...options, secrets })
  const afterChange = async <Result>(changes: Promise<Result>) => {
    const result = await changes
    await options.onChanged()
    return result
  }
  return {
    ...resource,
    create: (inputs, context) => afterChange(resource.create(inputs, context)),
    edit: (changes, context) => afterChange(resource.edit(changes, context)),
    remove: (removals, context) => afterChange(resource.remove(removals, context)),
    ...openFindMautics(options.storage),
    reseal: () => secrets.reseal(),
  }
}
