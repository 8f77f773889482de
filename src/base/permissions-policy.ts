/** `Permissions-Policy`: nothing here needs a device or a sensor of the visitor. */
export const PERMISSIONS_POLICY = 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'
