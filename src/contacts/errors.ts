import { validationError } from '../http/index.ts'
import { AppError } from '../kit/app-error.ts'

/** The sentences of this module. */
export const contactNotFound = () =>
  new AppError('not_found', 'contact_not_found', 'Contact not found')

export const addressTaken = (id: number, address: string) =>
  new AppError(
    'conflict',
    'address_taken',
    `Contact ${id} has the address ${address} already. Change that contact, or delete it first.`,
  )

export const tooMany = (field: 'tags' | 'segments', count: number, max: number) =>
  validationError({
    [field]: [`must be ${max} or fewer; the contact would have ${count}. Remove some first`],
  })
