import type { CallerMautic } from '../../kit/caller.ts'
import type { MaybePromise } from '../../kit/maybe-promise.ts'
import type { ContactFinder } from './find/find-contacts.ts'
import type { SendFinder } from './find/find-sends.ts'
import type { MauticEmailRow, MauticUserRow } from './table.ts'

/** What messages of connected Mautics refer to. What is not known is fetched from the Mautic; see `Mautics`. */
export interface MauticDirectory {
  findById(id: number): MaybePromise<CallerMautic | undefined>
  emails: {
    find(mauticId: number, id: number): Promise<Pick<MauticEmailRow, 'id'> | undefined>
    findTested(mauticId: number, subject: string): Promise<Pick<MauticEmailRow, 'id'>[]>
  }
  users: {
    find(mauticId: number, id: number): Promise<Pick<MauticUserRow, 'id' | 'username'> | undefined>
    findByEmail(
      mauticId: number,
      address: string,
    ): Promise<Pick<MauticUserRow, 'id' | 'username'> | undefined>
  }
  contacts: Pick<ContactFinder, 'find'>
  sends: Pick<SendFinder, 'find'>
}
