# folders_of(VARIABLE ROOT): ROOT and all folders below it. No two headers have one name, so that
# sources can name a header without its folder.
function(folders_of variable root)
  file(GLOB_RECURSE below CONFIGURE_DEPENDS LIST_DIRECTORIES true ${root}/*)
  set(found ${root})
  foreach(path IN LISTS below)
    if(IS_DIRECTORY ${path})
      list(APPEND found ${path})
    endif()
  endforeach()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()
