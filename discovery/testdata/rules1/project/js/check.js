require("./lib.js");
