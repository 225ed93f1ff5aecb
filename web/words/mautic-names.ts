/** The words for connected Mautics, and for what came from them, on screens about other things. */
export const mauticNameWords = {
  mautic: 'Mautic',
  email: 'Email',
  own: 'Mailyard itself',
  number: (id: number | string) => `Mautic ${id}`,
  deleted: (id: number) => `Mautic ${id}, deleted`,
  idInMautic: (id: number) => `Id ${id} in Mautic`,
  emailNumber: (id: number) => `Email ${id}`,
  contactNumber: (id: number) => `Contact ${id}`,
} as const
