import type { CallerMautic } from '../kit/caller.ts'
import type { MaybePromise } from '../kit/maybe-promise.ts'
import type { ContactFinder } from './find/find-contacts.ts'
import type { MauticEmail, MauticUser } from './find/find-records.ts'
import type { SendFinder } from './find/find-sends.ts'

/** What messages of connected Mautics refer to. What is not known is fetched from the Mautic; see `Mautics`. */
export interface MauticDirectory {
  findById(id: number): MaybePromise<CallerMautic | undefined>
  emails: {
    find(mauticId: number, id: number): Promise<Pick<MauticEmail, 'id'> | undefined>
    findTested(mauticId: number, subject: string): Promise<Pick<MauticEmail, 'id'>[]>
  }
  users: {
    find(mauticId: number, id: number): Promise<Pick<MauticUser, 'id' | 'username'> | undefined>
    findByEmail(
      mauticId: number,
      address: string,
    ): Promise<Pick<MauticUser, 'id' | 'username'> | undefined>
  }
  contacts: Pick<ContactFinder, 'find'>
  sends: Pick<SendFinder, 'find'>
}
