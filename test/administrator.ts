/** The password of `admin` in every Mailyard of the tests and benches, unless they are about passwords. */
export const adminPassword = 'correct horse battery'

/** The `Authorization` header of the administrator. */
export const asAdmin = basicHeader('admin', adminPassword)

/** The `Authorization` header of a user. */
export function basicHeader(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}
