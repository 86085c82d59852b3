// node:constants, the old flat list.
import { constants as fsConstants } from "internal:fsstats";
import { constants as osConstants } from "node:os";

const all = { ...osConstants.errno, ...osConstants.signals, ...fsConstants };
const { F_OK, R_OK, W_OK, X_OK, O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND, COPYFILE_EXCL, S_IFMT, S_IFREG, S_IFDIR, S_IFLNK } = fsConstants;
const { SIGINT, SIGTERM, SIGKILL, SIGHUP } = osConstants.signals;
const { ENOENT, EEXIST, EACCES, EPERM } = osConstants.errno;

export {
  F_OK, R_OK, W_OK, X_OK, O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND, COPYFILE_EXCL, S_IFMT, S_IFREG,
  S_IFDIR, S_IFLNK, SIGINT, SIGTERM, SIGKILL, SIGHUP, ENOENT, EEXIST, EACCES, EPERM,
};
export default all;
