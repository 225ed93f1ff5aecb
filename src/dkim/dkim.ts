import type { QueryExecutorProvider } from 'kysely'
import type { Dns, DnsCheck } from '../dns/index.ts'
import type { Caller } from '../kit/caller.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { Keyring, Storage } from '../storage/index.ts'
import { ActiveKeys } from './active-keys.ts'
import { DkimRecords } from './dkim-records.ts'
import { type DkimSecrets, openDkimSecrets } from './dkim-secrets.ts'
import { type DomainKey, findDomainKey } from './domain-key.ts'
import { KeyChecker, type MissingKey } from './key-checker.ts'
import { KeyMaker } from './key-material.ts'
import { KeyRotation } from './key-rotation.ts'
import type { RotationInput } from './schema.ts'

/** Dependencies of `Dkim`. */
export interface DkimOptions {
  storage: Storage
  keyring: Keyring
  dns: Dns
  clock: Clock
  log: Log
  /** Called, in the transaction, where the record of an active key is gone. */
  onMissing: (tx: QueryExecutorProvider, key: MissingKey) => Promise<void>
  /** Called after that transaction. */
  onMissingCommitted: () => void
  /** Called after keys were changed; see `ActiveKeys`. */
  onKeysChanged: (domains: readonly string[]) => Promise<void>
  /** How often keys are looked for whose records are to be looked up, in milliseconds. Default: 30 s. */
  intervalMs?: number | undefined
}

/** The keys that sign the messages of domains. */
export class Dkim {
  readonly records: DkimRecords
  /** Those that sign now. */
  readonly keys: ActiveKeys
  readonly checker: KeyChecker
  readonly #storage: Storage
  readonly #secrets: DkimSecrets
  readonly #rotation: KeyRotation

  constructor(options: DkimOptions) {
    const { storage, keyring, dns, clock, log, intervalMs = 30_000 } = options
    const secrets = openDkimSecrets(storage, keyring)
    const keys = new KeyMaker()
    const onChanged = () => this.keys.reload()
    this.#storage = storage
    this.#secrets = secrets
    this.keys = new ActiveKeys({
      storage,
      secrets,
      dns,
      clock,
      log,
      onChanged: options.onKeysChanged,
    })
    this.records = new DkimRecords({ storage, clock, secrets, keys, onChanged })
    this.#rotation = new KeyRotation({ storage, keyring, secrets, keys, clock })
    this.checker = new KeyChecker({
      storage,
      keyring,
      secrets,
      dns,
      clock,
      log,
      intervalMs,
      onChanged,
      onMissing: options.onMissing,
      onMissingCommitted: options.onMissingCommitted,
    })
  }

  async start(): Promise<void> {
    await this.keys.start()
    this.checker.start()
  }

  async stop(): Promise<void> {
    await this.checker.stop()
    await this.keys.stop()
  }

  /** Finds the key of a domain and looks its record up; undefined if there is none. */
  async findKey(domain: string, check: DnsCheck): Promise<DomainKey | undefined> {
    const key = await findDomainKey(this.#storage, domain, check)
    // A key that cannot be decrypted does not sign.
    const signs = this.keys.find(domain)?.selector === key?.selector
    return key && { ...key, isActive: key.isActive && signs }
  }

  /** Looks up the records of a key now; see `KeyChecker.check`. */
  check(id: number, caller: Caller): Promise<void> {
    return this.checker.check(id, caller)
  }

  /** Starts a rotation; see `KeyRotation.start`. */
  rotate(id: number, request: RotationInput, caller: Caller): Promise<void> {
    return this.#rotation.start(id, request, caller)
  }

  /** Deletes the next key of a rotation. Throws an AppError (`not_found`). */
  cancelRotation(id: number, caller: Caller): Promise<void> {
    return this.#rotation.cancel(id, caller)
  }

  /** Encrypts every private key with the current data key; returns the ids of the keys that are still in use. */
  reseal(): Promise<string[]> {
    return this.#secrets.reseal()
  }
}
